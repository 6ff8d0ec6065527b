import type { MapWords } from '../paint/scene.ts'

let switches = 0

/** The choice of a floor, as radio buttons: arrows change it, and a screen reader says which of how many. */
export class LevelSwitch {
  readonly element = document.createElement('fieldset')
  readonly #legend = document.createElement('legend')
  readonly #inputs: readonly HTMLInputElement[]

  constructor(levels: readonly string[], words: MapWords, choose: (level: number) => void) {
    this.element.className = 'seat-map-levels'
    this.element.append(this.#legend)
    switches += 1
    const group = `seat-map-levels-${switches}`
    this.#inputs = levels.map((name, level) => {
      const input = document.createElement('input')
      input.type = 'radio'
      input.name = group
      input.addEventListener('change', () => choose(level))
      const text = document.createElement('span')
      text.textContent = name
      const label = document.createElement('label')
      label.append(input, text)
      this.element.append(label)
      return input
    })
    this.setWords(words)
  }

  setWords(words: MapWords): void {
    this.#legend.textContent = words.level
  }

  /** Scrolls the chosen floor into view, however many there are. */
  show(level: number): void {
    const input = this.#inputs[level]!
    input.checked = true
    const label = input.parentElement!
    const { clientWidth, scrollLeft } = this.element
    const right = label.offsetLeft + label.offsetWidth
    if (label.offsetLeft < scrollLeft) this.element.scrollLeft = label.offsetLeft
    else if (right > scrollLeft + clientWidth) this.element.scrollLeft = right - clientWidth
  }
}
