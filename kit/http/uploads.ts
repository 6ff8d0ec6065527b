import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Clock } from '../base/clock.ts'

const KIB = 1024
const MIB = 1024 * KIB

/** Bodies of this size need no place: an honest buyer's has some hundred bytes. */
const SMALL_BYTES = 16 * KIB
/** Bodies of this size have room of their own, which no large ones can take: a theatre has 200 KiB. */
const MIDDLE_BYTES = MIB
const RESERVE_BYTES = 32 * MIB
/** An upload counts for what has come of it and for this much of what is to come. */
const AHEAD_BYTES = MIB
/** An upload that sends nothing for so long is ended. Phones in a lift are back by then. */
const SILENT_MS = 10_000
const LOOK_EVERY_MS = 1_000

/** The body stopped coming. */
export class UploadStopped extends Error {
  readonly statusCode = 408
}

/** Others have taken the room meanwhile. */
export class NoRoomForUpload extends Error {}

/** The room of one upload. */
export interface Place {
  /** Bytes have come. False: there is no room for them. */
  came(bytes: number): boolean
  /** All of it has come: it keeps its room until it is answered. */
  isWhole(): void
  /** Ends it while it is still coming. */
  onEnd: ((error: Error) => void) | null
}

interface Coming extends Place {
  lastByteAt: number
}

/** The place of a request whose body is coming, if it needs one. */
const places = new WeakMap<IncomingMessage, Place>()

export function placeOf(request: IncomingMessage): Place | undefined {
  return places.get(request)
}

/**
 * The memory of bodies that are being received or worked on, by what has come of them and not by what their
 * senders announce: four connections that send nothing would else keep all others out. Its place is free
 * again when the answer is sent or the connection is gone.
 *
 * No organization has more than a quarter of a node. Bodies of up to a MiB have a part of it to themselves.
 */
export class Uploads {
  readonly #large: Room
  readonly #middle: Room
  readonly #clock: Pick<Clock, 'elapsed'>
  readonly #coming = new Set<Coming>()
  #timer: NodeJS.Timeout | null = null

  constructor({
    perNodeBytes,
    perOrganizationBytes,
    clock,
  }: { perNodeBytes: number; perOrganizationBytes: number; clock: Pick<Clock, 'elapsed'> }) {
    this.#large = new Room(perNodeBytes - RESERVE_BYTES, perOrganizationBytes)
    this.#middle = new Room(RESERVE_BYTES, RESERVE_BYTES / 4)
    this.#clock = clock
  }

  get bytes(): number {
    return this.#large.bytes + this.#middle.bytes
  }

  /**
   * False: there is no room for this body now.
   * A request without a session has no organization and counts for the node.
   */
  enter(
    request: IncomingMessage,
    response: ServerResponse,
    { organizationId, limitBytes }: { organizationId: string | null; limitBytes: number },
  ): boolean {
    const announced = announcedBy(request, limitBytes)
    if (announced <= SMALL_BYTES) return true
    const owner = organizationId ?? ''
    const room = announced <= MIDDLE_BYTES ? this.#middle : this.#large
    let held = Math.min(announced, AHEAD_BYTES)
    if (!room.take(owner, held)) return false
    let received = 0
    const coming: Coming = {
      lastByteAt: this.#clock.elapsed(),
      onEnd: null,
      came: bytes => {
        received += bytes
        coming.lastByteAt = this.#clock.elapsed()
        const wanted = Math.min(announced, received + AHEAD_BYTES)
        if (wanted <= held) return true
        if (!room.take(owner, wanted - held)) return false
        held = wanted
        return true
      },
      isWhole: () => this.#stopWatching(coming),
    }
    this.#watch(coming)
    places.set(request, coming)
    let isOver = false
    const leave = () => {
      if (isOver) return
      isOver = true
      this.#stopWatching(coming)
      room.give(owner, held)
    }
    response.once('finish', leave)
    response.once('close', leave)
    return true
  }

  /** Ends the uploads of which no byte has come for a while. */
  endSilent(): void {
    const now = this.#clock.elapsed()
    for (const coming of this.#coming) {
      if (now - coming.lastByteAt < SILENT_MS) continue
      this.#stopWatching(coming)
      coming.onEnd?.(new UploadStopped(`No byte of the body came for ${SILENT_MS / 1000} seconds.`))
    }
  }

  #watch(coming: Coming): void {
    this.#coming.add(coming)
    // Timers come before what has arrived: after a turn of the loop that took long, bytes wait in the kernel.
    const look = () => void setImmediate(() => this.endSilent())
    this.#timer ??= setInterval(look, LOOK_EVERY_MS).unref()
  }

  #stopWatching(coming: Coming): void {
    this.#coming.delete(coming)
    if (this.#coming.size > 0 || !this.#timer) return
    clearInterval(this.#timer)
    this.#timer = null
  }
}

/** Bytes of all, and of each organization, with a bound for both. */
class Room {
  readonly #most: number
  readonly #mostOfOne: number
  readonly #ofOwner = new Map<string, number>()
  bytes = 0

  constructor(most: number, mostOfOne: number) {
    this.#most = most
    this.#mostOfOne = mostOfOne
  }

  take(owner: string, bytes: number): boolean {
    const own = (this.#ofOwner.get(owner) ?? 0) + bytes
    if (this.bytes + bytes > this.#most || own > this.#mostOfOne) return false
    this.bytes += bytes
    this.#ofOwner.set(owner, own)
    return true
  }

  give(owner: string, bytes: number): void {
    this.bytes -= bytes
    const left = this.#ofOwner.get(owner)! - bytes
    if (left === 0) this.#ofOwner.delete(owner)
    else this.#ofOwner.set(owner, left)
  }
}

/** Reads what is announced; a body beyond the limit of the route is refused elsewhere, and never read. */
function announcedBy({ headers }: IncomingMessage, limitBytes: number): number {
  if (headers['transfer-encoding'] !== undefined) return limitBytes
  const length = Number(headers['content-length'] ?? 0)
  return length > limitBytes || Number.isNaN(length) ? 0 : length
}
