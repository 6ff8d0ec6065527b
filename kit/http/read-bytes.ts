import { errorCodes, type FastifyRequest } from 'fastify'
import { LARGE_BODY_BYTES } from './large-bodies.ts'
import { NoRoomForUpload, placeOf } from './uploads.ts'

type Done = (error: Error | null, bytes?: Buffer) => void

/** JSON is for the routes that take no files, and a file is for those that take its kind. */
export function readBodyOf(request: FastifyRequest, payload: NodeJS.ReadableStream, done: Done): void {
  const type = (request.headers['content-type'] ?? '').split(';', 1)[0]!.trim().toLowerCase()
  const read = request.routeOptions.config.bytesOf ?? JSON_TYPES
  if (read.includes(type)) readBytes(request, payload, done)
  else done(new errorCodes.FST_ERR_CTP_INVALID_MEDIA_TYPE(type))
}

const JSON_TYPES = ['application/json']

/**
 * Reads the bytes of a body. A large one is written, piece by piece as it arrives, into memory that threads
 * share: 96 MiB put together at the end and copied to a worker took the serving thread 200 ms and more.
 */
export function readBytes(request: FastifyRequest, payload: NodeJS.ReadableStream, done: Done): void {
  const limit = request.routeOptions.bodyLimit
  const announced = Number(request.headers['content-length'] ?? Number.NaN)
  if (announced > limit) {
    done(new errorCodes.FST_ERR_CTP_BODY_TOO_LARGE())
    return
  }
  // A request of Fastify has one; in a test of this file there is none.
  const place = request.raw && placeOf(request.raw)
  const pieces: Buffer[] = []
  let shared: Buffer | null = null
  let received = 0

  const onData = (piece: Buffer) => {
    if (received + piece.length > limit) {
      end(new errorCodes.FST_ERR_CTP_BODY_TOO_LARGE())
      return
    }
    if (place && !place.came(piece.length)) {
      cutOff(new NoRoomForUpload())
      return
    }
    if (!shared && received + piece.length > LARGE_BODY_BYTES) {
      // The memory that no byte is written to costs nothing.
      shared = Buffer.from(new SharedArrayBuffer(Number.isNaN(announced) ? limit : announced))
      let at = 0
      for (const earlier of pieces.splice(0)) at += earlier.copy(shared, at)
    }
    if (shared) piece.copy(shared, received)
    else pieces.push(piece)
    received += piece.length
  }
  const end = (error?: Error) => {
    payload.off('data', onData)
    payload.off('end', onEnd)
    payload.off('error', onError)
    if (place) {
      place.onEnd = null
      place.isWhole()
    }
    if (error) done(error)
    else done(null, shared ? shared.subarray(0, received) : Buffer.concat(pieces, received))
  }
  const onEnd = () => {
    const isWhole = Number.isNaN(announced) || received === announced
    end(isWhole ? undefined : new errorCodes.FST_ERR_CTP_INVALID_CONTENT_LENGTH())
  }
  const onError = (error: Error & { statusCode?: number }) => {
    error.statusCode ??= 400
    end(error)
  }
  /** Does not wait for the rest: the connection ends with the answer. */
  const cutOff = (error: Error) => {
    const { socket } = request.raw
    request.raw.once('close', () => socket.destroySoon())
    end(error)
  }
  if (place) place.onEnd = cutOff
  payload.on('data', onData)
  payload.on('end', onEnd)
  payload.on('error', onError)
}
