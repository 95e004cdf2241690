#include <iostream>

#include "penumbra/data/dataset.h"

int main() {
  penumbra::Options options{{"count", "40"}, {"classes", "5"}};
  penumbra::Reading reading;
  const auto dataset = penumbra::make_dataset("blobs", options);
  std::cout << dataset->train(reading).size() << " training and " << dataset->test(reading).size()
            << " test images of " << dataset->classes(reading).size() << " classes\n";
}
