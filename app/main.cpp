// The command `penumbra`: understands the command line and turns failures into exit codes.

#include <c10/util/Exception.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <new>

#include "app/command.h"
#include "app/tell.h"
#include "penumbra/core/error.h"
#include "penumbra/core/signals.h"

namespace {

// CLI11 says only that a subcommand is missing when it is misspelt.
std::string explain(const CLI::ParseError& error, const CLI::App& app, int argc, char** argv) {
  const auto chosen = app.get_subcommands();
  const std::string first = argc > 1 ? argv[1] : "";
  if (chosen.empty() && !first.empty() && first.front() != '-') {
    std::string known;
    for (const auto* command : app.get_subcommands({})) known += " " + command->get_name();
    return "no command '" + first + "'; there are:" + known;
  }
  std::string help;  // of the innermost command: "data inspect "
  for (auto inner = chosen; !inner.empty(); inner = inner.front()->get_subcommands())
    help += inner.front()->get_name() + " ";
  return std::string(error.what()) + "; 'penumbra " + help + "--help' shows what there is";
}

int no_memory() {
  std::cerr << "penumbra: not enough memory; try a smaller batch, or fewer or smaller pictures\n";
  return 1;
}

int run(int argc, char** argv) {
  CLI::App app("penumbra: image classifiers from a few labels, that know what they do not know");
  penumbra::app::Action action;
  app.set_version_flag("--version", "penumbra " PENUMBRA_VERSION);
  app.require_subcommand(1);
  app.footer(
      "Start with:  penumbra train photos/\nEvery command has its own --help with an example.");
  penumbra::app::add_train(app, action);
  penumbra::app::add_evaluate(app, action);
  penumbra::app::add_certify(app, action);
  penumbra::app::add_predict(app, action);
  penumbra::app::add_report(app, action);
  penumbra::app::add_sweep(app, action);
  penumbra::app::add_data(app, action);
  penumbra::app::add_bench(app, action);
  penumbra::app::add_list(app, action);
  for (int i = 1; i < argc; ++i)
    if (const std::string argument = argv[i];
        argument.size() > 3 && argument.rfind("--", 0) == 0 && argument.back() == '=')
      penumbra::fail(argument, " has no value: expected one behind the equals sign");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);  // --help, --version
    std::cerr << "penumbra: " << explain(error, app, argc, argv) << '\n';
    return 2;
  }
  return action();
}

// A full disk may show only when the last of the output is written, or be forgotten by then.
int with_output_written(int code) {
  std::cout.flush();
  if (std::cout && std::ferror(stdout) == 0) return code;
  std::cerr << "penumbra: cannot write all of the output: the disk is full or nobody reads it; "
               "free some space or choose another file\n";
  return code != 0 ? code : 2;
}

int answer(int argc, char** argv) {
  using penumbra::app::printable;
  try {
    return with_output_written(run(argc, argv));
  } catch (const penumbra::Error& error) {
    std::cerr << "penumbra: " << printable(error.what()) << '\n';
    return 2;
  } catch (const std::filesystem::filesystem_error& error) {
    std::cerr << "penumbra: " << printable(error.what())
              << "; check the permissions and the disk\n";
    return 2;
  } catch (const std::bad_alloc&) {
    return no_memory();
  } catch (const c10::Error& error) {
    const std::string what = error.what_without_backtrace();
    if (what.find("can't allocate memory") != std::string::npos) return no_memory();
    std::cerr << "penumbra: internal error: " << what << '\n';
    return 1;
  } catch (const std::exception& error) {
    std::cerr << "penumbra: internal error: " << error.what() << '\n';
    return 1;
  }
}

}  // namespace

int main(int argc, char** argv) {
  penumbra::end_where_a_mapped_file_was_cut();
  const int code = answer(argc, argv);
#ifdef NDEBUG
  // libtorch takes its operators apart one by one at the end, a twelfth of a short command's time.
  // Builds for debugging end in order: sanitizers and counts of lines have their say then.
  std::cout.flush();
  std::fflush(nullptr);
  std::_Exit(code);
#endif
  return code;
}
