import { type Context, fontOf } from './context.ts'
import type { Measure } from './place-names.ts'

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
