/** Lets arrow keys move an element that may be wider than a telephone, while it has the focus. */
export function scrollByKeys(element: HTMLElement): void {
  element.tabIndex = 0
}
