#pragma once
#include <string_view>

namespace penumbra {

// Is this text UTF-8 as Unicode has it (table 3-7): no overlong forms, no halves of pairs, nothing
// above U+10FFFF? Names of files and folders may be any bytes; JSON may not.
bool is_utf8(std::string_view text);

}  // namespace penumbra
