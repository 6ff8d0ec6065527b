/**
 * Keeps the screen on until it is ended, where the browser can: it takes the lock away when the page is
 * hidden, and gets it back when the page is seen again. `onChange` hears whether the screen stays on.
 */
export function keepAwake(onChange: (isOn: boolean) => void): () => void {
  let lock: WakeLockSentinel | null = null
  let isOver = false

  async function ask() {
    if (isOver || document.hidden || lock || !('wakeLock' in navigator)) return
    // Refused, as with a low battery: the code is shown all the same.
    const given = await navigator.wakeLock.request('screen').catch(() => null)
    if (!given) return
    if (isOver) return void given.release().catch(() => {})
    lock = given
    onChange(true)
    given.addEventListener('release', () => {
      lock = null
      if (!isOver) onChange(false)
    })
  }

  const look = () => void ask()
  document.addEventListener('visibilitychange', look)
  look()
  return () => {
    isOver = true
    document.removeEventListener('visibilitychange', look)
    void lock?.release().catch(() => {})
  }
}
