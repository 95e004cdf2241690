#pragma once
#include <memory>
#include <string>

#include "penumbra/loss/certificates.h"
#include "penumbra/method/method.h"

namespace penumbra {

// The paper's two losses, which complement any method: loss + l_ua L_UA + l_ue L_UE.
//
// L_UA, aleatoric: the negative log-likelihood of the residual between soft target and strong view
// under a variance that a head predicts from the features.
struct AleatoricOptions {
  double weight = 0;               // l_ua, the paper's alpha_UA; 0: no such loss
  std::string loss = "nll";        // ua_loss
  std::string variance = "paper";  // or log, none
  std::string residual = "probabilities";
  std::string reduce = "mean";     // over classes
  std::string normaliser = "all";  // strong views, or those that the mask keeps
  std::string samples = "masked";  // that the head learns from; all where variance is log
  bool reaches_features = true;    // gradient of the head
  double beta = 1, bias = -4;
  bool decays = true;
  double ramp_up = 0;  // share of the run, after its start, over which the weight rises from 0

  // Reads the others only where they mean something: none without l_ua, for example.
  void read(Options& options);
  bool has_head() const { return weight > 0 && loss == "nll" && variance != "none"; }
};

// L_UE, epistemic: the mean square of certificates on labelled and strong views, and a penalty
// that keeps them orthonormal.
struct EpistemicOptions {
  double weight = 0;         // l_ue, the paper's alpha_UE; 0: no such loss
  double lambda = 0.1;       // of the penalty
  int64_t certificates = 0;  // k; 0: max(1, min(100, d/2, d - classes))
  std::string norm = "fro2", loss = "mse", samples = "all";
  bool reaches_features = true, decays = false;

  void read(Options& options);
};

// The number of certificates for d features and h classes where none was asked for: orthonormal
// ones need k <= d, and the means of the classes need d - k >= h dimensions for themselves.
int64_t certificate_count(int64_t features, int64_t classes);

// `method` with the losses whose weight is not zero; `method` itself where both are. The share
// `start` of the run sees labelled images alone.
std::unique_ptr<Method> complement(std::unique_ptr<Method> method,
                                   const AleatoricOptions& aleatoric,
                                   const EpistemicOptions& epistemic, double start);

}  // namespace penumbra
