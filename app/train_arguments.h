#pragma once
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "app/command.h"
#include "penumbra/core/config.h"

namespace penumbra::app {

// What `penumbra train` was told.
struct TrainArguments {
  std::string data, root, out, resume;
  std::vector<std::string> files, settings;  // --config, --set
  std::map<std::string, std::string> flags;  // setting, value
  bool strict = false;

  void add_to(CLI::App& command);  // which must not outlive it

  // Everything that the command line says, in the order in which it counts: files, flags, --set.
  // Error where one of two wishes would be ignored.
  Config config() const;
};

}  // namespace penumbra::app
