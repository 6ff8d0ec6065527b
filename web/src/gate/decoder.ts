/** Reads a QR code in the picture that a video shows. */
export interface Decoder {
  read(video: HTMLVideoElement): Promise<string | null>
  close(): void
}

interface Detector {
  detect(source: HTMLVideoElement): Promise<{ readonly rawValue: string }[]>
}
interface DetectorClass {
  new (options: { formats: string[] }): Detector
  getSupportedFormats(): Promise<string[]>
}

/** Wide enough for a code at arm's length. More takes longer and reads no better. */
const WIDEST = 960
/** A worker that says nothing for so long is not waited for. */
const PATIENCE_MS = 5_000

/** The browser's own where it has one: Android does; iPhones and Linux do not. */
export async function createDecoder(): Promise<Decoder> {
  const detector = await ownDetector()
  return detector ?? inWorker()
}

async function ownDetector(): Promise<Decoder | null> {
  const { BarcodeDetector } = globalThis as { BarcodeDetector?: DetectorClass }
  const formats = await BarcodeDetector?.getSupportedFormats().catch((): string[] => [])
  if (!BarcodeDetector || !formats?.includes('qr_code')) return null
  const detector = new BarcodeDetector({ formats: ['qr_code'] })
  return {
    async read(video) {
      const [first] = await detector.detect(video)
      return first?.rawValue ?? null
    },
    close() {},
  }
}

/** The page stays smooth: pictures are read on a thread of their own, one at a time. */
function inWorker(): Decoder {
  const worker = new Worker(new URL('./decode-worker.ts', import.meta.url), { type: 'module' })
  const canvas = document.createElement('canvas')
  const context = canvas.getContext('2d', { willReadFrequently: true })!
  return {
    read(video) {
      if (video.videoWidth === 0) return Promise.resolve(null)
      const scale = Math.min(1, WIDEST / video.videoWidth)
      canvas.width = Math.round(video.videoWidth * scale)
      canvas.height = Math.round(video.videoHeight * scale)
      context.drawImage(video, 0, 0, canvas.width, canvas.height)
      const picture = context.getImageData(0, 0, canvas.width, canvas.height)
      return new Promise(resolve => {
        const end = (code: string | null) => {
          clearTimeout(timer)
          worker.onmessage = null
          resolve(code)
        }
        const timer = setTimeout(() => end(null), PATIENCE_MS)
        worker.onmessage = ({ data }: MessageEvent<string | null>) => end(data)
        worker.postMessage(picture, [picture.data.buffer])
      })
    },
    close: () => worker.terminate(),
  }
}
