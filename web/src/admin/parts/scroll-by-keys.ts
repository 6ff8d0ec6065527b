/** What may be wider than a telephone: with the focus on it, arrow keys move it. */
export function scrollByKeys(element: HTMLElement): void {
  element.tabIndex = 0
}
