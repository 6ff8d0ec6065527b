import type { MapModel } from '../document/model.ts'
import type { MapWords } from '../paint/scene.ts'
import type { UnderEye } from './under-eye.ts'

/**
 * In a corner of the map: the section one looks at, and its rows in view. For eyes;
 * the keyboard has an announcer.
 */
export class Pin {
  readonly element = document.createElement('div')
  readonly #name = document.createElement('strong')
  readonly #rows = document.createElement('span')

  constructor() {
    this.element.className = 'seat-map-pin'
    this.element.hidden = true
    this.element.setAttribute('aria-hidden', 'true')
    this.element.append(this.#name, this.#rows)
  }

  /** Null hides it. */
  show(model: MapModel, seen: UnderEye | null, words: MapWords): void {
    this.element.hidden = seen === null
    if (!seen) return
    setText(this.#name, model.zones[seen.zoneIndex]!.name)
    setText(this.#rows, seen.rows ? words.rows(seen.rows.first, seen.rows.last) : '')
  }
}

/** A text that is set again is laid out again. */
function setText(element: HTMLElement, text: string): void {
  if (element.textContent !== text) element.textContent = text
}
