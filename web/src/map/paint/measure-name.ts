import type { Measure } from './place-names.ts'

/** A canvas of a page or of a worker. */
export type Context = CanvasRenderingContext2D | OffscreenCanvasRenderingContext2D

let family = 'system-ui, sans-serif'

/** The page's own typeface, for all texts of maps. */
export function useFont(name: string): void {
  if (name !== '') family = name
}

export function fontOf(weight: number, px: number): string {
  return `${weight} ${px}px ${family}`
}

export function nameFont(px: number): string {
  return fontOf(680, px)
}

/** Text grows evenly with its size: each is measured once. */
export function createMeasure(context: Context): Measure {
  const widths = new Map<string, number>()
  return text => {
    let width = widths.get(text)
    if (width === undefined) {
      context.font = nameFont(100)
      width = context.measureText(text).width / 100
      if (widths.size >= MOST_MEASURED) widths.clear()
      widths.set(text, width)
    }
    return width
  }
}

const MOST_MEASURED = 5_000
