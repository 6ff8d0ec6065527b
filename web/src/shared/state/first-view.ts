/**
 * What the server has painted of an event (server/src/http/share/first-view.ts) gives way to the page. Until
 * then the page is hidden, so the page calls this as soon as it has anything to say.
 */
export function endFirstView(): void {
  document.getElementById('first')?.remove()
}
