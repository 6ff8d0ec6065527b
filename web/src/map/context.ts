/** What can be drawn on: of a page or of a worker. */
export type Context = CanvasRenderingContext2D | OffscreenCanvasRenderingContext2D

let family = 'system-ui, sans-serif'

/** The page's own typeface, for all texts of maps. */
export function useFont(name: string): void {
  if (name !== '') family = name
}

export function fontOf(weight: number, px: number): string {
  return `${weight} ${px}px ${family}`
}
