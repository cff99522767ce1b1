// Spends its time in two functions that V8 compiles.
function sumOfSquares(count) {
  let sum = 0;
  for (let i = 0; i < count; i++)
    sum += (i * i) % 7;
  return sum;
}

function work(rounds) {
  let total = 0;
  for (let i = 0; i < rounds; i++)
    total += sumOfSquares(2000000);
  return total;
}

console.log(work(20));
