#pragma once
#include "penumbra/model/model_file.h"
#include "penumbra/train/experiment.h"
#include "penumbra/uncertainty/judge.h"

namespace penumbra {

// Fits what turns the model's output into judgements: the estimator to labelled and unlabelled
// training images, the rest to validation images. Null where the run has no validation images,
// since training images would look more familiar than any other.
std::unique_ptr<Judge> fit_judge(Classifier& classifier, const Experiment& experiment);

// Puts the judge into what write_model() writes.
void attach(const Judge& judge, ModelInfo& info);

// The judge that the model's file holds, or null.
std::unique_ptr<Judge> judge_of(const ModelInfo& info);

}  // namespace penumbra
