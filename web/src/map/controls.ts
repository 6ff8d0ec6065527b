import type { MapWords } from './scene.ts'

export interface ControlHandlers {
  zoomBy(factor: number): void
  panBy(dx: number, dy: number): void
  fit(): void
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
        if (pressed(event.key, handlers)) event.preventDefault()
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

function pressed(key: string, { zoomBy, panBy, fit }: ControlHandlers): boolean {
  switch (key) {
    case 'ArrowLeft':
      panBy(PAN_STEP_PX, 0)
      return true
    case 'ArrowRight':
      panBy(-PAN_STEP_PX, 0)
      return true
    case 'ArrowUp':
      panBy(0, PAN_STEP_PX)
      return true
    case 'ArrowDown':
      panBy(0, -PAN_STEP_PX)
      return true
    case '+':
    case '=':
      zoomBy(ZOOM_STEP)
      return true
    case '-':
      zoomBy(1 / ZOOM_STEP)
      return true
    case '0':
    case 'Home':
      fit()
      return true
    default:
      return false
  }
}
