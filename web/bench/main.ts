import {
  darkTheme,
  decodeMap,
  lightTheme,
  type MapModel,
  SeatMap,
  type SeatStatus,
} from '../src/map/index.ts'

/**
 * The seat map with a real server, and nothing else. Event and token come in the address behind #. What the
 * bench asks for is in `globalThis.bench`.
 */
const { event, token } = Object.fromEntries(new URLSearchParams(location.hash.slice(1)))
const STATUSES = ['available', 'held', 'sold', 'blocked']

async function read(path: string, accept: string): Promise<Uint8Array> {
  const answer = await fetch(`/api/events/${event}/${path}`, {
    headers: { authorization: `Bearer ${token}`, accept },
  })
  if (!answer.ok) throw new Error(`${path}: ${answer.status}`)
  return new Uint8Array(await answer.arrayBuffer())
}

const binary = 'application/octet-stream'
const [document_, statuses] = await Promise.all([read('map', binary), read('availability', binary)])
const receivedMs = performance.now()
const model = decodeMap(document_)
const decodedMs = performance.now()

const container = document.getElementById('map')!
const map = new SeatMap(container, model, {
  theme: lightTheme,
  reducedMotion: true,
  words: {
    level: 'Level',
    zoomIn: 'Zoom in',
    zoomOut: 'Zoom out',
    fit: 'Whole hall',
    free: count => `${count} free`,
    soldOut: 'sold out',
    rows: (first, last) => `${first}–${last}`,
  },
  onSeat() {},
  onZone() {},
})
map.setStatuses(statuses)

class Bench {
  readonly ready = Promise.all([markOf('seat-map-picture'), markOf('seat-map-names')]).then(
    ([pictureMs, namesMs]) => ({ receivedMs, decodedMs, pictureMs, namesMs, seats: model.seatCount }),
  )
  #frames: number[] = []
  #lastFrame = 0
  #isRecording = false
  #delays: number[] = []
  #changes = 0

  /** So near that seats are this far apart. */
  lookAt(pitchPx: number): void {
    map.showSeat(middleSeat(model))
    map.zoomBy(pitchPx / (model.pitch * map.view.scale))
  }

  whole(): void {
    map.fit()
  }

  /** From now on, how long each frame takes. */
  recordFrames(): void {
    this.#frames = []
    this.#isRecording = true
    this.#lastFrame = performance.now()
    const tick = () => {
      if (!this.#isRecording) return
      const now = performance.now()
      this.#frames.push(now - this.#lastFrame)
      this.#lastFrame = now
      requestAnimationFrame(tick)
    }
    requestAnimationFrame(tick)
  }

  takeFrames(): number[] {
    this.#isRecording = false
    return this.#frames
  }

  /** Ids and ordinals of free seats on the screen, evenly chosen. */
  seatsInView(most: number): { seatId: string; ordinal: number }[] {
    const { x, y, scale } = map.view
    const halfWidth = (container.clientWidth / 2 - 20) / scale
    const halfHeight = (container.clientHeight / 2 - 20) / scale
    const seen: number[] = []
    for (let ordinal = 0; ordinal < model.ordinalCount; ordinal += 1) {
      const isIn = Math.abs(model.x[ordinal]! - x) < halfWidth && Math.abs(model.y[ordinal]! - y) < halfHeight
      if (isIn && model.has(ordinal) && map.statusOf(ordinal) === 0) seen.push(ordinal)
    }
    const every = Math.max(1, Math.floor(seen.length / most))
    return seen
      .filter((_, index) => index % every === 0)
      .slice(0, most)
      .map(ordinal => ({ ordinal, seatId: model.seatIdOf(ordinal) }))
  }

  /** Follows the feed; resolves when it is open. */
  async follow(): Promise<void> {
    const answer = await fetch(`/api/events/${event}/live-token`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}` },
    })
    const { data } = await answer.json()
    const source = new EventSource(`/api/events/${event}/live?token=${encodeURIComponent(data.token)}`)
    source.addEventListener('seats', message => {
      const { seats } = JSON.parse(message.data) as { seats: [number, string][] }
      map.setStatus(
        seats.map(([ordinal, status]) => [ordinal, STATUSES.indexOf(status) as SeatStatus] as const),
      )
      // The map has asked for its frame before this: when ours comes, the map has drawn.
      requestAnimationFrame(() => {
        this.#delays.push(performance.now() - message.timeStamp)
        this.#changes += seats.length
      })
    })
    await new Promise((resolve, reject) => {
      source.addEventListener('open', resolve)
      source.addEventListener('error', reject)
    })
  }

  takeDeltas(): { delaysMs: number[]; changes: number } {
    const taken = { delaysMs: this.#delays, changes: this.#changes }
    this.#delays = []
    this.#changes = 0
    return taken
  }

  /** The colour in the middle of a seat, as it is on the screen. */
  pixelOf(ordinal: number): number[] {
    const { x, y, scale } = map.view
    const canvas = container.querySelector('canvas')!
    const ratio = canvas.width / container.clientWidth
    const left = Math.round(((model.x[ordinal]! - x) * scale + container.clientWidth / 2) * ratio)
    const top = Math.round(((model.y[ordinal]! - y) * scale + container.clientHeight / 2) * ratio)
    return [...canvas.getContext('2d')!.getImageData(left - 1, top - 1, 3, 3).data]
  }

  /** Free seats are faint: what is painted twice shows. */
  dim(isDimmed: boolean): void {
    map.setShown(isDimmed ? new Set() : null)
  }

  /** Returns how many colour values differ much from those of a full repaint of what is in view. */
  async differsFromWhole(atLeast: number): Promise<number> {
    await this.#rest()
    const before = pixels()
    map.setTheme(darkTheme)
    map.setTheme(lightTheme)
    await this.#rest()
    const after = pixels()
    return before.filter((value, at) => Math.abs(value - after[at]!) > atLeast).length
  }

  /** Until nothing changes for longer than the map waits before it writes how much is left. */
  async #rest(): Promise<void> {
    for (let before = pixels(), isSame = false; !isSame; ) {
      await this.drawn()
      // Waits end in the order in which they are due, also in a browser that comes late to all of them.
      await new Promise(resolve => setTimeout(resolve, 400))
      await this.drawn()
      const after = pixels()
      isSame = before.every((value, at) => value === after[at])
      before = after
    }
  }

  /** Resolves when the screen shows what is known now. */
  drawn(): Promise<void> {
    return new Promise(resolve => requestAnimationFrame(() => requestAnimationFrame(() => resolve())))
  }

  statusOf(ordinal: number): number {
    return map.statusOf(ordinal)
  }
}

/** When the map said so in the browser's timeline. */
function markOf(name: string): Promise<number> {
  return new Promise(resolve => {
    const observer = new PerformanceObserver(list => {
      const [mark] = list.getEntriesByName(name)
      if (!mark) return
      observer.disconnect()
      resolve(mark.startTime)
    })
    observer.observe({ type: 'mark', buffered: true })
  })
}

function pixels(): Uint8ClampedArray {
  const canvas = container.querySelector('canvas')!
  return canvas.getContext('2d')!.getImageData(0, 0, canvas.width, canvas.height).data
}

function middleSeat({ zones }: MapModel): number {
  const withSeats = zones.filter(zone => zone.seatCount > 0)
  const zone = withSeats[withSeats.length >> 1]!
  return zone.firstOrdinal + (zone.seatCount >> 1)
}

;(globalThis as unknown as { bench: Bench }).bench = new Bench()
