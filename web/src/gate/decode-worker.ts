import { prepareZXingModule, readBarcodes } from 'zxing-wasm/reader'
import wasmUrl from 'zxing-wasm/reader/zxing_reader.wasm?url'

/** A picture in, the text of its QR code out; null: there is none. */

// From our own server, and kept by the service worker with the rest of the page.
prepareZXingModule({ overrides: { locateFile: () => wasmUrl } })

self.onmessage = async ({ data }: MessageEvent<ImageData>) => {
  const [first] = await readBarcodes(data, {
    formats: ['QRCode'],
    tryHarder: true,
    maxNumberOfSymbols: 1,
  }).catch(() => [])
  self.postMessage(first?.text ?? null)
}
