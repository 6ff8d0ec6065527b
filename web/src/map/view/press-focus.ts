/**
 * A press gives the map the focus, for its keys. Browsers disagree whether that is `:focus-visible`; a
 * buyer who touches a seat asked for no ring around the hall, so the attribute takes it away until a key is
 * pressed. `putAway`: the keyboard's place in the hall is shown no more. Returns what ends it.
 */
export function listenForPresses(container: HTMLElement, putAway: () => void): () => void {
  const stop = new AbortController()
  const { signal } = stop
  container.addEventListener('pointerdown', () => container.setAttribute('data-pressed', ''), { signal })
  for (const name of ['keydown', 'blur']) {
    container.addEventListener(name, () => container.removeAttribute('data-pressed'), { signal })
  }
  for (const name of ['pointerdown', 'blur']) container.addEventListener(name, putAway, { signal })
  return () => stop.abort()
}
