import { focusFirst } from '../state/focus.ts'

/**
 * Opens the browser's own dialog: it keeps the focus inside and closes with Escape. It opens on the control
 * that is marked with `data-first`, or else on its heading, and never on "Close".
 */
export function openModal(dialog: HTMLDialogElement): () => void {
  const before = document.activeElement
  dialog.showModal()
  focusFirst(dialog.querySelector('[data-first]'), dialog.querySelector('h2'))
  // When what was focused before is gone (the button of a hold that is released now),
  // the page's heading is next.
  return () => focusFirst(before, document.querySelector('h1'), document.getElementById('content'))
}

/** A press on the scrim, outside of what the dialog shows. */
export function isOutside(
  dialog: HTMLDialogElement,
  { clientX: x, clientY: y, target }: MouseEvent,
): boolean {
  if (target !== dialog) return false
  const { left, right, top, bottom } = dialog.getBoundingClientRect()
  return x < left || x > right || y < top || y > bottom
}
