/**
 * Takes away what the server has painted of an event (server/modules/pages/first-view.ts). Until then the
 * page is hidden, so the page calls this as soon as it has anything to say.
 */
export function endFirstView(): void {
  document.getElementById('first')?.remove()
}
