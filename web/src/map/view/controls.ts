import type { MapWords } from '../paint/scene.ts'
import type { Direction } from './neighbour.ts'

export interface ControlHandlers {
  zoomBy(factor: number): void
  panBy(dx: number, dy: number): void
  fit(): void
  /** To the next seat in a direction. */
  move(direction: Direction): void
  /** To the first or the last seat of the row. */
  toRowEnd(end: 'first' | 'last'): void
  /** To the row before or behind. */
  byRow(step: -1 | 1): void
  /** Takes or releases the seat, or opens the zone, that the keyboard is at. */
  choose(): void
  /** Leaves the seats for the whole hall. */
  leave(): void
}

const ZOOM_STEP = 1.6
const PAN_STEP_PX = 80

const ICONS = {
  zoomIn: 'M10 4v12M4 10h12',
  zoomOut: 'M4 10h12',
  fit: 'M4 8V4h4M12 4h4v4M16 12v4h-4M8 16H4v-4',
} as const

/** The buttons beside the map, and the keys that do the same. */
export class Controls {
  readonly element = document.createElement('div')
  readonly #buttons: Record<keyof typeof ICONS, HTMLButtonElement>
  readonly #stop = new AbortController()

  constructor(container: HTMLElement, words: MapWords, handlers: ControlHandlers) {
    this.element.className = 'seat-map-buttons'
    this.#buttons = {
      zoomIn: this.#button('zoomIn', () => handlers.zoomBy(ZOOM_STEP)),
      zoomOut: this.#button('zoomOut', () => handlers.zoomBy(1 / ZOOM_STEP)),
      fit: this.#button('fit', () => handlers.fit()),
    }
    this.setWords(words)
    container.addEventListener(
      'keydown',
      event => {
        if (event.target !== container || event.ctrlKey || event.metaKey || event.altKey) return
        if (pressed(event, handlers)) event.preventDefault()
      },
      { signal: this.#stop.signal },
    )
  }

  setWords(words: MapWords): void {
    for (const name of Object.keys(ICONS) as (keyof typeof ICONS)[]) {
      this.#buttons[name].setAttribute('aria-label', words[name])
      this.#buttons[name].title = words[name]
    }
  }

  destroy(): void {
    this.#stop.abort()
  }

  #button(name: keyof typeof ICONS, press: () => void): HTMLButtonElement {
    const button = document.createElement('button')
    button.type = 'button'
    button.dataset.action = name
    button.addEventListener('click', press, { signal: this.#stop.signal })
    const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg')
    for (const [attribute, value] of Object.entries({
      viewBox: '0 0 20 20',
      width: '20',
      height: '20',
      fill: 'none',
      stroke: 'currentColor',
      'stroke-width': '2',
      'stroke-linecap': 'round',
      'aria-hidden': 'true',
    })) {
      svg.setAttribute(attribute, value)
    }
    const path = document.createElementNS('http://www.w3.org/2000/svg', 'path')
    path.setAttribute('d', ICONS[name])
    svg.append(path)
    button.append(svg)
    this.element.append(button)
    return button
  }
}

const ARROWS: Readonly<Record<string, { direction: Direction; dx: number; dy: number }>> = {
  ArrowLeft: { direction: 'left', dx: PAN_STEP_PX, dy: 0 },
  ArrowRight: { direction: 'right', dx: -PAN_STEP_PX, dy: 0 },
  ArrowUp: { direction: 'up', dx: 0, dy: PAN_STEP_PX },
  ArrowDown: { direction: 'down', dx: 0, dy: -PAN_STEP_PX },
}

/** False: the key means nothing here, and the browser may have it. With shift, arrows move the hall. */
function pressed({ key, shiftKey }: KeyboardEvent, handlers: ControlHandlers): boolean {
  const arrow = ARROWS[key]
  if (arrow && shiftKey) handlers.panBy(arrow.dx, arrow.dy)
  else if (arrow) handlers.move(arrow.direction)
  else if (key === 'Home') handlers.toRowEnd('first')
  else if (key === 'End') handlers.toRowEnd('last')
  else if (key === 'PageUp') handlers.byRow(-1)
  else if (key === 'PageDown') handlers.byRow(1)
  else if (key === 'Enter' || key === ' ') handlers.choose()
  else if (key === 'Escape') handlers.leave()
  else if (key === '+' || key === '=') handlers.zoomBy(ZOOM_STEP)
  else if (key === '-') handlers.zoomBy(1 / ZOOM_STEP)
  else if (key === '0') handlers.fit()
  else return false
  return true
}
