import type { Tone } from './verdict.ts'

/** Frequency and length of each note. Yes rises, no is low and twice: they differ also at a loud gate. */
const NOTES: Readonly<Record<Tone, readonly (readonly [hertz: number, ms: number])[]>> = {
  good: [
    [880, 90],
    [1320, 140],
  ],
  look: [
    [620, 160],
    [620, 160],
  ],
  bad: [
    [190, 240],
    [150, 380],
  ],
}
const BUZZ: Readonly<Record<Tone, number[]>> = { good: [70], look: [70, 60, 70], bad: [220, 90, 320] }

/** A tone that comes later than this is taken for that of the next ticket. */
const STILL_ABOUT_IT_MS = 500

/**
 * Sound and vibration. Browsers allow sound after a touch: `start` is called in one. A phone call or a locked
 * screen ends it, without a touch it may come back by itself.
 */
export class Signals {
  #context: AudioContext | null = null
  #isImpossible = false
  /** `isHeard` may have changed. */
  onchange: () => void = () => {}

  /** A tone would be heard. Of a device that has no sound nothing else is expected. */
  get isHeard(): boolean {
    return this.#isImpossible || this.#context?.state === 'running'
  }

  start(): void {
    try {
      this.#context ??= this.#open()
      void this.#context.resume().catch(() => {})
    } catch {
      // This device has no sound: colour, words and vibration tell.
      this.#isImpossible = true
      this.onchange()
    }
  }

  #open(): AudioContext {
    const context = new AudioContext()
    context.onstatechange = () => this.onchange()
    return context
  }

  give(tone: Tone, hasSound: boolean): void {
    navigator.vibrate?.(BUZZ[tone])
    const context = this.#context
    if (!hasSound || !context) return
    if (context.state === 'running') play(context, tone)
    else void this.#resumeFor(context, tone).catch(() => {})
  }

  async #resumeFor(context: AudioContext, tone: Tone): Promise<void> {
    const asked = performance.now()
    await context.resume()
    if (performance.now() - asked < STILL_ABOUT_IT_MS) play(context, tone)
  }

  close(): void {
    void this.#context?.close().catch(() => {})
  }
}

function play(context: AudioContext, tone: Tone): void {
  let from = context.currentTime
  for (const [hertz, ms] of NOTES[tone]) {
    const oscillator = new OscillatorNode(context, {
      frequency: hertz,
      type: tone === 'bad' ? 'square' : 'sine',
    })
    const gain = new GainNode(context, { gain: tone === 'bad' ? 0.25 : 0.5 })
    oscillator.connect(gain).connect(context.destination)
    oscillator.start(from)
    from += ms / 1000
    gain.gain.setTargetAtTime(0, from - 0.03, 0.01)
    oscillator.stop(from + 0.03)
  }
}
