#pragma once
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "penumbra/core/error.h"

namespace penumbra {

// The message of the Error that `action` throws; empty, with a failure, when it throws none.
template <class Action>
std::string error_of(Action action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  ADD_FAILURE() << "expected an Error";
  return "";
}

}  // namespace penumbra
