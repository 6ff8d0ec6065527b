import { Refused } from '@voelgoed/client'
import { darkTheme, lightTheme, type MapTheme } from '../map/index.ts'
import mapStyles from '../map/view/seat-map.css?inline'
import { type EmbedWords, embedWords } from './embed-words.ts'
import type { Change, Hold } from './guest-seats.ts'
import { type Place, type PlaceState, SeatShop } from './seat-shop.ts'
import ownStyles from './voelgoed-seats.css?inline'

const NAME = 'voelgoed-seats'
const TAKEN = ['seat_held_by_another_user', 'seat_not_available', 'zone_at_capacity']
const CLOSED = ['event_not_available', 'event_sales_closed']

/**
 * `<voelgoed-seats server organization event language>`: the seats of an event on a page of another site.
 * docs/guide/embedding.md says what it tells the site, and how the site gives it its own look.
 */
class VoelgoedSeats extends HTMLElement {
  static readonly observedAttributes = ['server', 'organization', 'event', 'language', 'theme']

  readonly #root = this.attachShadow({ mode: 'open' })
  #shop: SeatShop | null = null
  #parts: Parts | null = null
  #words: EmbedWords = embedWords()
  #holds: readonly Hold[] = []
  #ticking: ReturnType<typeof setInterval> | undefined
  #isAsked = false

  connectedCallback(): void {
    this.#restart()
  }

  disconnectedCallback(): void {
    this.#stop()
  }

  attributeChangedCallback(): void {
    if (this.isConnected) this.#restart()
  }

  /** Several attributes that are set one after another make one start. */
  #restart(): void {
    if (this.#isAsked) return
    this.#isAsked = true
    queueMicrotask(() => {
      this.#isAsked = false
      this.#stop()
      if (this.isConnected) void this.#start()
    })
  }

  #stop(): void {
    clearInterval(this.#ticking)
    this.#shop?.close()
    this.#shop = null
    this.#holds = []
    this.removeAttribute('data-state')
    this.#root.replaceChildren()
  }

  async #start(): Promise<void> {
    const organization = this.getAttribute('organization')
    const event = this.getAttribute('event')
    if (!organization || !event) return
    const isDark =
      (this.getAttribute('theme') ??
        (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light')) === 'dark'
    this.toggleAttribute('data-dark', isDark)
    this.#words = embedWords(
      this.getAttribute('language'),
      document.documentElement.lang,
      ...navigator.languages,
    )
    const words = this.#words
    const parts = makeParts(this.#root, words)
    this.#parts = parts
    parts.checkout.addEventListener('click', () => this.#tell('checkout', { holds: this.#holds }))
    this.#say(words.loading)
    const server = (this.getAttribute('server') || new URL(import.meta.url).origin).replace(/\/$/, '')
    const shop = new SeatShop(
      { server, organization, event },
      {
        container: parts.map,
        theme: this.#theme(isDark),
        words: words.map,
        reducedMotion: matchMedia('(prefers-reduced-motion: reduce)').matches,
        maySelect: place => this.#tell('select', { place }),
        onHolds: (holds, change) => this.#showHolds(holds, change),
        onExpired: holds => {
          this.#say(words.expired)
          this.#tell('expire', { holds })
        },
        onEnded: ended => this.#tell('end', { holds: this.#holds, ended }),
        onStop: stop => {
          const said = stop ? stopWords(stop.place, stop.state, words) : ''
          // The same words once more would be read out once more.
          if (parts.stop.textContent !== said) parts.stop.textContent = said
        },
        onRefused: refused => this.#showRefusal(refused),
        onState: state => {
          this.setAttribute('data-state', state)
          if (state === 'offline') this.#say(words.offline)
          else if (this.#parts?.message.textContent === words.offline) this.#say('')
        },
      },
    )
    this.#shop = shop
    try {
      await shop.open()
      if (this.#shop !== shop) return
      this.#say('')
      this.#ticking = setInterval(() => this.#showClock(), 1_000)
    } catch (error) {
      if (this.#shop !== shop) return
      if (error instanceof Refused) this.#showRefusal(error)
      else {
        this.#say(words.unreachable)
        this.#tell('problem', { code: 'unreachable', message: words.unreachable })
      }
    }
  }

  #showHolds(holds: readonly Hold[], change: Change | null): void {
    const words = this.#words
    const { list, map } = this.#parts!
    const focused = [...list.querySelectorAll<Element>('button')].indexOf(this.#root.activeElement!)
    const focusedHold = this.#holds[focused]?.hold_id
    this.#holds = holds
    list.replaceChildren(
      ...holds.map(hold => {
        const item = document.createElement('li')
        const name = nameOf(hold, words)
        const release = button(words.release)
        release.setAttribute('aria-label', `${words.release}: ${name}`)
        release.addEventListener('click', () => void this.#shop?.release(hold.hold_id))
        item.append(name, release)
        return item
      }),
    )
    // The button that had the focus is a new one, or gone: then the next one has it, or the map.
    if (focused >= 0) {
      const same = holds.findIndex(({ hold_id }) => hold_id === focusedHold)
      const next = same >= 0 ? same : Math.min(focused, holds.length - 1)
      ;(list.querySelectorAll('button')[next] ?? map).focus()
    }
    this.#showClock()
    if (!change) return
    const [first] = change.holds
    if (first) this.#say((change.held ? words.held : words.released)(nameOf(first, words)))
    this.#tell('hold', { holds, [change.held ? 'granted' : 'released']: change.holds })
  }

  #showClock(): void {
    const left = this.#shop?.leftMs ?? null
    const seconds = Math.ceil((left ?? 0) / 1_000)
    const clock = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
    const { clock: shown, checkout } = this.#parts!
    shown.textContent = left === null ? '' : this.#words.left(clock)
    // Their time is over: they are not offered until the server has said which are still held.
    checkout.disabled = this.#holds.length === 0 || left === 0
  }

  #showRefusal(refused: Refused): void {
    const words = this.#words
    const { code, status } = refused
    const text = TAKEN.includes(code)
      ? words.taken
      : CLOSED.includes(code)
        ? words.closed
        : status === 404
          ? words.missing
          : words.refused
    this.#say(text)
    this.#tell('problem', { code, message: text })
  }

  #say(text: string): void {
    if (this.#parts) this.#parts.message.textContent = text
  }

  /** False: the site has prevented what would follow. */
  #tell(name: string, detail: object): boolean {
    const more = { event_id: this.getAttribute('event'), token: this.#shop?.token ?? null, ...detail }
    return this.dispatchEvent(
      new CustomEvent(name, { detail: more, bubbles: true, composed: true, cancelable: true }),
    )
  }

  /** The map is drawn on a canvas: it takes the site's colours from the same properties. */
  #theme(isDark: boolean): MapTheme {
    const base = isDark ? darkTheme : lightTheme
    const style = getComputedStyle(this)
    const own = (name: string, otherwise: string) => {
      const value = style.getPropertyValue(`--voelgoed-${name}`).trim()
      return /^#[0-9a-f]{6}$/i.test(value) ? value : otherwise
    }
    return {
      ...base,
      background: own('background', base.background),
      zone: own('surface', base.zone),
      zoneEdge: own('edge', base.zoneEdge),
      text: own('text', base.text),
      free: own('accent', base.free),
    }
  }
}

interface Parts {
  readonly map: HTMLElement
  readonly message: HTMLElement
  /** For screen readers: where the keyboard is on the map. */
  readonly stop: HTMLElement
  readonly clock: HTMLElement
  readonly list: HTMLElement
  readonly checkout: HTMLButtonElement
}

function makeParts(root: ShadowRoot, words: EmbedWords): Parts {
  const make = (tag: string, className: string) => {
    const element = document.createElement(tag)
    element.className = className
    return element
  }
  const map = make('div', 'map')
  map.setAttribute('role', 'application')
  map.setAttribute('aria-label', words.mapLabel)
  const message = make('p', 'message')
  message.setAttribute('role', 'status')
  const stop = make('p', 'stop')
  stop.setAttribute('role', 'status')
  const clock = make('span', 'clock')
  const list = make('ul', 'holds')
  const checkout = button(words.checkout)
  checkout.className = 'checkout'
  checkout.disabled = true
  const bar = make('div', 'bar')
  bar.append(message, stop, clock, list, checkout)
  root.adoptedStyleSheets = [sheet(mapStyles), sheet(ownStyles)]
  root.replaceChildren(map, bar)
  return { map, message, stop, clock, list, checkout }
}

function button(text: string): HTMLButtonElement {
  const made = document.createElement('button')
  made.type = 'button'
  made.textContent = text
  return made
}

/** Not a `<style>`: a site whose policy forbids those in line shows the component all the same. */
function sheet(text: string): CSSStyleSheet {
  const made = new CSSStyleSheet()
  made.replaceSync(text)
  return made
}

function nameOf(hold: Hold, words: EmbedWords): string {
  return 'seat_id' in hold
    ? words.seat(hold.zone_name, hold.row, hold.seat_number)
    : words.places(hold.zone_name, hold.quantity)
}

function stopWords(place: Place, state: PlaceState | null, words: EmbedWords): string {
  const name = 'seat_id' in place ? words.seat(place.zone, place.row, place.seat) : place.zone
  return state === null ? name : `${name}, ${words.states[state]}`
}

if (!customElements.get(NAME)) customElements.define(NAME, VoelgoedSeats)
