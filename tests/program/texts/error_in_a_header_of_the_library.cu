// expect: line 6: 
#include <algorithm>
#include <list>
int main() {
  std::list<int> numbers{3, 1};
  std::sort(numbers.begin(), numbers.end());
}
