#pragma once
#include "penumbra/model/kernels.h"
#include "penumbra/model/precision.h"

namespace penumbra {

// How fast this process trains on the CPU, in cores of the machine by which `quick` was made (an
// AMD EPYC with AVX2). Takes a third of a second, or three steps of 64 images where they are
// longer.
double machine_cores(Precision precision, Kernels kernels);

}  // namespace penumbra
