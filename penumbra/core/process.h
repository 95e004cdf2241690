#pragma once
#include <filesystem>
#include <string>
#include <vector>

namespace penumbra {

// A program to run with its arguments as they are: no shell reads them.
struct Command {
  std::string program;  // looked for in PATH
  std::vector<std::string> arguments;
  std::filesystem::path folder = ".";  // where it runs
  std::string package;                 // Debian package that brings it, named when it is missing
};

struct ProcessResult {
  int status = 0;      // exit code, or 128 + the signal that ended it, as shells count
  std::string output;  // standard output and standard error as they came
};

// Runs it to its end, with no input. Error when the program is not there.
ProcessResult run(const Command& command);

// The same, and an Error with the first lines of the output unless it succeeds.
std::string run_successfully(const Command& command);

}  // namespace penumbra
