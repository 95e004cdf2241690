#include "penumbra/augment/loader.h"

#include <chrono>
#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>

#include "penumbra/augment/assembly.h"
#include "penumbra/core/parallel.h"

namespace penumbra {

// Threads that work on the drafts of the next steps. A thread takes a few pictures at a time from
// the oldest draft that has some left; where none has, one thread opens the next step's draft.
class Loader::Workers {
 public:
  Workers(Source source, const LoaderOptions& options)
      : assembly_(std::move(source), options),
        ahead_(static_cast<std::size_t>(options.ahead)),
        next_step_(options.first_step) {
    if (options.first_step < 0) fail("first step ", options.first_step, ": expected 0 or more");
    threads_ = start_threads(options.threads, [this] { run(); });
    if (threads_.empty())
      fail("no thread could be started to prepare pictures: expected the system to grant one");
  }

  ~Workers() {
    {
      const std::lock_guard lock(mutex_);
      stop_ = true;
    }
    work_.notify_all();
    for (auto& thread : threads_) thread.join();
  }

  Batch next() {
    std::unique_lock lock(mutex_);
    const auto ready = [&] { return failure_ || (!tasks_.empty() && tasks_.front()->done()); };
    if (!ready()) {
      const auto start = std::chrono::steady_clock::now();
      finished_.wait(lock, ready);
      waited_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    }
    if (failure_) std::rethrow_exception(failure_);
    auto batch = std::move(tasks_.front()->draft.batch);
    tasks_.pop_front();
    handed_out_.push_back(batch);
    if (handed_out_.size() > ahead_ + 2) handed_out_.pop_front();
    lock.unlock();
    work_.notify_all();
    return batch;
  }

  double waited() const {
    const std::lock_guard lock(mutex_);
    return waited_;
  }

 private:
  // A draft and how far it is.
  struct Task {
    Draft draft;
    bool open = false;
    std::size_t taken = 0, filled = 0;

    bool done() const { return open && filled == draft.size(); }
  };

  void run() {
    std::unique_lock lock(mutex_, std::defer_lock);
    try {
      Canvas canvas(assembly_.shape());
      lock.lock();
      while (!stop_) {
        if (auto* task = task_with_pictures())
          fill_some(*task, canvas, lock);
        else if (!opening_ && tasks_.size() < ahead_)
          open_next(lock);
        else
          work_.wait(lock);
      }
    } catch (...) {
      if (!lock.owns_lock()) lock.lock();
      if (!failure_) failure_ = std::current_exception();
      stop_ = true;
      work_.notify_all();
      finished_.notify_all();
    }
  }

  Task* task_with_pictures() {
    for (auto& task : tasks_)
      if (task->open && task->taken < task->draft.size()) return task.get();
    return nullptr;
  }

  void fill_some(Task& task, Canvas& canvas, std::unique_lock<std::mutex>& lock) {
    constexpr std::size_t kAtOnce = 8;
    const auto begin = task.taken, end = std::min(begin + kAtOnce, task.draft.size());
    task.taken = end;
    lock.unlock();
    for (auto i = begin; i < end; ++i) assembly_.fill(task.draft, i, canvas);
    lock.lock();
    task.filled += end - begin;
    if (task.done()) finished_.notify_all();
  }

  void open_next(std::unique_lock<std::mutex>& lock) {
    opening_ = true;
    tasks_.push_back(std::make_unique<Task>());
    auto& task = *tasks_.back();
    const auto step = next_step_++;
    auto reused = take_unshared();
    lock.unlock();
    auto draft = assembly_.open(step, std::move(reused));
    lock.lock();
    task.draft = std::move(draft);
    task.open = true;
    opening_ = false;
    work_.notify_all();
  }

  Batch take_unshared() {
    for (auto batch = handed_out_.begin(); batch != handed_out_.end(); ++batch) {
      if (!unshared(*batch)) continue;
      auto taken = std::move(*batch);
      handed_out_.erase(batch);
      return taken;
    }
    return {};
  }

  Assembly assembly_;
  std::size_t ahead_;
  mutable std::mutex mutex_;
  std::condition_variable work_, finished_;
  int64_t next_step_;                        // not yet opened
  std::deque<std::unique_ptr<Task>> tasks_;  // by step; the first is the one next() waits for
  std::deque<Batch> handed_out_;             // whose memory may come back
  bool opening_ = false, stop_ = false;
  std::exception_ptr failure_;
  double waited_ = 0;
  std::vector<std::thread> threads_;
};

Loader::Loader(Source source, const LoaderOptions& options)
    : workers_(std::make_unique<Workers>(std::move(source), options)) {}

Loader::~Loader() = default;

Batch Loader::next() { return workers_->next(); }

double Loader::waited() const { return workers_->waited(); }

}  // namespace penumbra
