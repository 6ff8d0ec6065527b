/** Lets the browser paint and answer presses before the work goes on: a long task on a phone is a stutter. */
export function nextTask(): Promise<void> {
  return new Promise(resolve => setTimeout(resolve))
}
