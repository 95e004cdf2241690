#pragma once
#include "penumbra/model/model_file.h"
#include "penumbra/train/experiment.h"
#include "penumbra/uncertainty/judge.h"

namespace penumbra {

// What the model says of the images that count as familiar: labelled and unlabelled training
// images, ten thousand at the most.
struct Familiar {
  Output said;
  torch::Tensor labels;  // [N] int64, kUnlabelled for unlabelled images
};
Familiar look_at_familiar(Classifier& classifier, const Experiment& experiment);

// Fits what turns the model's output into judgements: the estimator to labelled and unlabelled
// training images, the rest to validation images. Null where the run has no validation images,
// since training images would look more familiar than any other.
std::unique_ptr<Judge> fit_judge(Classifier& classifier, const Experiment& experiment);

// How many pictures fit_judge() looks at at the end of a training.
int64_t images_to_certify(const Experiment& experiment);

// Puts the judge into what write_model() writes.
void attach(const Judge& judge, ModelInfo& info);

// The judge that the model's file holds, or null.
std::unique_ptr<Judge> judge_of(const ModelInfo& info);

}  // namespace penumbra
