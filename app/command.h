#pragma once
#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <functional>

namespace penumbra::app {

// What the chosen subcommand does once the command line was understood; its result is the exit
// code: 0 fine, 2 the user's input, 1 our fault.
using Action = std::function<int()>;

// One function for each file of app/; each adds its subcommand, with an example in its help.
void add_data(CLI::App& app, Action& action);
void add_data_augment(CLI::App& data, Action& action);
void add_data_export(CLI::App& data, Action& action);
void add_train(CLI::App& app, Action& action);
void add_evaluate(CLI::App& app, Action& action);
void add_certify(CLI::App& app, Action& action);
void add_predict(CLI::App& app, Action& action);
void add_report(CLI::App& app, Action& action);
void add_sweep(CLI::App& app, Action& action);
void add_bench(CLI::App& app, Action& action);
void add_list(CLI::App& app, Action& action);

}  // namespace penumbra::app
