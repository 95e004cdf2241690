# Everything we link, all of it in Debian (tools/setup.sh installs it).
find_package(Torch REQUIRED)
# Torch's flags concern only its ABI macro, which newer releases no longer need to set.
string(APPEND CMAKE_CXX_FLAGS " ${TORCH_CXX_FLAGS}")
find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(tomlplusplus REQUIRED)
find_package(CLI11 REQUIRED)
find_package(OpenMP REQUIRED COMPONENTS CXX)  # for FAISS
find_package(Eigen3 REQUIRED)
find_package(faiss REQUIRED)
find_package(JPEG REQUIRED)
find_package(OpenSSL REQUIRED)
find_package(PNG REQUIRED)
find_package(ZLIB REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(webp REQUIRED IMPORTED_TARGET libwebp libwebpdemux)
