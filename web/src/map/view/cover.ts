import type { Bounds } from '../document/model.ts'

/** Where elements lie over the map, in CSS pixels of it; those that are not shown lie nowhere. */
export function coversOf(elements: readonly (HTMLElement | undefined)[]): Bounds[] {
  return elements.flatMap(element => {
    if (!element || element.offsetWidth === 0) return []
    const { offsetLeft, offsetTop, offsetWidth, offsetHeight } = element
    return [
      {
        minX: offsetLeft,
        minY: offsetTop,
        maxX: offsetLeft + offsetWidth,
        maxY: offsetTop + offsetHeight,
      },
    ]
  })
}
