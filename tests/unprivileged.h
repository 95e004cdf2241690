#pragma once
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

namespace penumbra {

// While this lives, permissions count for the whole process, as they do not for root: it is nobody,
// who may look into `folder` like everyone.
class Unprivileged {
 public:
  explicit Unprivileged(const std::filesystem::path& folder) : user_(geteuid()) {
    if (user_ != 0) return;
    std::filesystem::permissions(folder, std::filesystem::perms(0755));
    constexpr uid_t kNobody = 65534;
    EXPECT_EQ(seteuid(kNobody), 0);
  }
  ~Unprivileged() { EXPECT_EQ(seteuid(user_), 0); }
  Unprivileged(const Unprivileged&) = delete;
  Unprivileged& operator=(const Unprivileged&) = delete;

 private:
  uid_t user_;
};

}  // namespace penumbra
