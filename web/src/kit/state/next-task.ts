/** Lets the browser paint and answer presses before the work goes on: a long task on a phone is a stutter. */
export function nextTask(): Promise<void> {
  return new Promise(resolve => setTimeout(resolve))
}

/** Later than this it does not come. */
const IDLE_MS = 200

/** Lets everything go first that the page has begun. Safari can not say when that is. */
export function idleTask(): Promise<void> {
  if (!('requestIdleCallback' in globalThis)) return nextTask()
  return new Promise(resolve => requestIdleCallback(() => resolve(), { timeout: IDLE_MS }))
}
