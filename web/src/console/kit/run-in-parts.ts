/** An item that was left as it is, and why. */
export interface Skipped {
  readonly name: string
  readonly why: string
}

export interface PartDone {
  readonly done: number
  readonly skipped: readonly Skipped[]
}

/** Says how long work ended. `failed`: the server refused a part with this, or did not answer it. */
export type WorkEnd =
  | { readonly state: 'done' | 'stopped' }
  | { readonly state: 'failed'; readonly error: unknown }

/** Long work, one part after the other. A part that fails ends it: what was done stays done. */
export async function runInParts<T>(
  items: readonly T[],
  size: number,
  work: (part: readonly T[]) => Promise<PartDone>,
  { isToStop, onPart }: { isToStop(): boolean; onPart(part: PartDone): void },
): Promise<WorkEnd> {
  for (let at = 0; at < items.length; at += size) {
    if (isToStop()) return { state: 'stopped' }
    try {
      onPart(await work(items.slice(at, at + size)))
    } catch (error) {
      return { state: 'failed', error }
    }
  }
  return { state: 'done' }
}
