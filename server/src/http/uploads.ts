import type { IncomingMessage, ServerResponse } from 'node:http'

/** Bodies of this size need no place: an honest buyer's has some hundred bytes. */
const SMALL_BYTES = 16 * 1024

/**
 * The memory of bodies that are being received or worked on. A body takes its place before its first byte is
 * read, by the length that its sender announces; without one, by all that the route allows. The place is free
 * again when the answer is sent or the connection is gone.
 */
export class Uploads {
  readonly #perNode: number
  readonly #perOrganization: number
  readonly #ofOrganization = new Map<string, number>()
  #bytes = 0

  constructor(limits: { perNodeBytes: number; perOrganizationBytes: number }) {
    this.#perNode = limits.perNodeBytes
    this.#perOrganization = limits.perOrganizationBytes
  }

  get bytes(): number {
    return this.#bytes
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
    const bytes = announced(request, limitBytes)
    if (bytes <= SMALL_BYTES) return true
    const owner = organizationId ?? ''
    const before = this.#ofOrganization.get(owner) ?? 0
    if (this.#bytes + bytes > this.#perNode || before + bytes > this.#perOrganization) return false
    this.#bytes += bytes
    this.#ofOrganization.set(owner, before + bytes)
    let isOver = false
    const leave = () => {
      if (isOver) return
      isOver = true
      this.#bytes -= bytes
      const left = this.#ofOrganization.get(owner)! - bytes
      if (left === 0) this.#ofOrganization.delete(owner)
      else this.#ofOrganization.set(owner, left)
    }
    response.once('finish', leave)
    response.once('close', leave)
    return true
  }
}

/** What is announced beyond the limit of the route is refused elsewhere, and never read. */
function announced({ headers }: IncomingMessage, limitBytes: number): number {
  if (headers['transfer-encoding'] !== undefined) return limitBytes
  const length = Number(headers['content-length'] ?? 0)
  return length > limitBytes || Number.isNaN(length) ? 0 : length
}
