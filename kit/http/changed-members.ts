/** For the audit log: before and after of every member that differs. */
export function changedMembers<T extends object>(before: T, after: T): Record<string, unknown> {
  const changed = Object.entries(after).filter(
    ([member, value]) => JSON.stringify(value) !== JSON.stringify(before[member as keyof T]),
  )
  return Object.fromEntries(
    changed.map(([member, value]) => [member, { before: before[member as keyof T], after: value }]),
  )
}
