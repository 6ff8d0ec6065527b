/** Moves the focus to the first of these that is on the page and can take it. */
export function focusFirst(...candidates: readonly (Element | null)[]): void {
  for (const candidate of candidates) {
    if (!(candidate instanceof HTMLElement) || !candidate.isConnected || candidate === document.body) continue
    candidate.focus()
    if (document.activeElement === candidate) return
  }
}

/** Nothing has the focus: what had it has left the page. */
export function isFocusLost(): boolean {
  return document.activeElement === null || document.activeElement === document.body
}
