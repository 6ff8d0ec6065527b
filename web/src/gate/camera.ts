import { createDecoder, type Decoder } from './decoder.ts'

/** Between two pictures: quick enough for a person, and the battery lasts. */
const PAUSE_MS = 80

export type CameraTrouble = 'not_allowed' | 'none' | 'not_secure' | 'failed'

/** The camera at the back, and what is read in its pictures. */
export class Camera {
  readonly #stream: MediaStream
  readonly #decoder: Decoder
  readonly #video: HTMLVideoElement
  #isOpen = true

  private constructor(stream: MediaStream, decoder: Decoder, video: HTMLVideoElement) {
    this.#stream = stream
    this.#decoder = decoder
    this.#video = video
  }

  static async open(
    video: HTMLVideoElement,
    onCode: (code: string) => void,
    onEnd: () => void,
  ): Promise<Camera | { trouble: CameraTrouble }> {
    if (!navigator.mediaDevices) return { trouble: isSecureContext ? 'none' : 'not_secure' }
    let stream: MediaStream
    try {
      stream = await navigator.mediaDevices.getUserMedia({
        video: { facingMode: 'environment', width: { ideal: 1280 }, height: { ideal: 720 } },
      })
    } catch (error) {
      const { name } = error as DOMException
      const trouble =
        name === 'NotAllowedError' ? 'not_allowed' : name === 'NotFoundError' ? 'none' : 'failed'
      return { trouble }
    }
    try {
      video.srcObject = stream
      await video.play()
      const camera = new Camera(stream, await createDecoder(), video)
      // The phone took it away: another app uses it, or the page was asleep.
      camera.#track?.addEventListener('ended', () => camera.#isOpen && onEnd())
      void camera.#look(onCode)
      return camera
    } catch {
      for (const track of stream.getTracks()) track.stop()
      return { trouble: 'failed' }
    }
  }

  get hasTorch(): boolean {
    const capabilities = this.#track?.getCapabilities?.() as { torch?: boolean } | undefined
    return capabilities?.torch === true
  }

  async light(isOn: boolean): Promise<void> {
    await this.#track?.applyConstraints({ advanced: [{ torch: isOn } as MediaTrackConstraintSet] })
  }

  close(): void {
    this.#isOpen = false
    for (const track of this.#stream.getTracks()) track.stop()
    this.#video.srcObject = null
    this.#decoder.close()
  }

  get #track(): MediaStreamTrack | undefined {
    return this.#stream.getVideoTracks()[0]
  }

  async #look(onCode: (code: string) => void): Promise<void> {
    while (this.#isOpen) {
      // A phone that was locked shows the last picture until it is told to go on.
      if (!document.hidden && this.#video.paused) await this.#video.play().catch(() => {})
      // A picture that can't be read is like one without a code.
      const code = document.hidden ? null : await this.#decoder.read(this.#video).catch(() => null)
      if (code !== null && this.#isOpen) onCode(code)
      await new Promise(resolve => setTimeout(resolve, PAUSE_MS))
    }
  }
}
