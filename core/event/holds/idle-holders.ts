import type { EventState } from '../state.ts'

/**
 * An address is forgotten with its last hold. A user is remembered for as long as they hold something, or
 * took something within the policy's window: `holds_per_window` counts what has ended as well.
 *
 * After a policy has lengthened the window, holds made before that may count for the shorter time only.
 */

export function countPlaces(
  state: EventState,
  user: number,
  { at, places }: { at: number; places: number },
): void {
  state.takes.add(user, { at, places })
  dropOldTakes(state, at)
}

/** To be called when a hold of the user has ended, or is another user's now. */
export function forgetIfIdle(state: EventState, user: number, at: number): void {
  if (state.users.isEmpty(user) && !state.takes.hasAny(user)) state.users.forget(user)
  dropOldTakes(state, at)
}

/** Two leave for one that comes: the line gets shorter, and no change pays for a crowd that left together. */
function dropOldTakes(state: EventState, at: number): void {
  const from = at - state.settings.policy.hold_window_seconds * 1000
  for (let times = 0; times < 2; times += 1) {
    const user = state.takes.dropOldest(from)
    if (user !== null && state.users.isEmpty(user)) state.users.forget(user)
  }
}
