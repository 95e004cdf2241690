#pragma once
#include <memory>

#include "penumbra/method/method.h"

namespace penumbra {

// A method that begins with the labelled images alone: guesses of a network that knows nothing are
// worth little, and steps without unlabelled images cost a third. Its own progress starts
// afterwards. A share of 0 gives the method itself.
std::unique_ptr<Method> warm_start(std::unique_ptr<Method> method, double share);

}  // namespace penumbra
