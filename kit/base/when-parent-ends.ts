/**
 * npm passes SIGTERM on to us (`exec` in package.json: a shell in between would keep it to itself), but when
 * npm is killed, or there was a shell after all, we are left behind.
 * That our parent has changed is all we see of it.
 */
export function whenParentEnds(ended: () => void): void {
  const parent = process.ppid
  const timer = setInterval(() => {
    if (process.ppid === parent) return
    clearInterval(timer)
    ended()
  }, 200).unref()
}
