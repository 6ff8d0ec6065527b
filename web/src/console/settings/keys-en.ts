import type { Format } from '../../kit/words/format.ts'

type ByKey<K extends string> = Readonly<Record<K, string>>

/** Words of keys, of the account that takes the money, and of how well the seats are used. */
export function keysEn(format: Format) {
  const n = format.number
  const many = (count: number, one: string, more: string) => `${n(count)} ${count === 1 ? one : more}`
  return {
    apiKeys: {
      title: 'API keys',
      about: 'For your own programs. Give each its own key, so that you can end one without the others.',
      none: 'No keys yet',
      noneNote:
        'A key lets a program work for your organization without a person who signs in: your web shop sells tickets with it, for example.',
      columns: { name: 'Program', role: 'Role', made: 'Made', used: 'Last used' },
      unused: 'Not used yet',
      make: 'Make a key',
      makeTitle: 'Make an API key',
      makeNote: 'It works until you end it, and keeps the role that you choose now.',
      name: 'Name of the program',
      nameHint: 'Later it tells you which program has the key, like Web shop.',
      role: 'Role',
      ofRole: {
        scanner: 'Admits people at the gate, with the lists of tickets for that.',
        support: 'Reads events and orders, releases holds, sends, moves and reissues tickets.',
        organizer: 'Sells and refunds, makes and changes events: what a web shop needs.',
        admin: 'Everything, other keys and sign-in too. Choose it only if the program needs that.',
      } as ByKey<string>,
      madeTitle: (name: string) => `The key of “${name}”`,
      once: 'Copy the key now: it cannot be shown again. If it gets lost, end it and make another.',
      key: 'Key',
      copy: 'Copy',
      byHand:
        'Your browser does not let us copy it. It is selected: press Ctrl C, or hold it and choose Copy.',
      where:
        'The program sends it with each request, in the header “Authorization: Bearer …”. Keep it on your server, never in a web page or an app.',
      kept: 'I have kept it',
      end: 'End',
      endOf: (name: string) => `End key ${name}`,
      endTitle: (name: string) => `End the key of “${name}”?`,
      endNote: (name: string) =>
        `Programs that use it stop working at once, on every server, and their live feeds end. What they did stays. It cannot be undone: “${name}” would need a new key.`,
      endButton: 'End the key',
      ended: (name: string) => `The key of “${name}” has ended.`,
    },
    ticketKeys: {
      title: 'Ticket keys',
      about: 'Your key signs each ticket. The signature tells a gate that a ticket is not forged.',
      none: 'There is no key yet: the first ticket makes it.',
      columns: { key: 'Key', from: 'Signs from', until: 'Signs until', tickets: 'Its tickets' },
      states: { signing: 'Signs now', verifying: 'Replaced', retired: 'Retired' } as ByKey<string>,
      now: 'Now',
      good: 'Open gates',
      goodUntil: 'Open gates until the key is retired',
      over: (when: string) => `Open no gate since ${when}`,
      showRetired: (count: number) => `Show ${many(count, 'retired key', 'retired keys')}`,
      copy: 'Copy public key',
      copyOf: (key: string) => `Copy public key of ${key}`,
      rotate: 'Rotate',
      onlyAdmin: 'Only an admin can rotate keys.',
      rotateTitle: 'Sign tickets with a new key?',
      signs: 'A new key signs from now on',
      signsNote: 'Tickets that are shown, printed or mailed from now on have its signature.',
      stay: 'Tickets that people have stay good',
      stayNote: 'On paper and in screenshots too: gates go on accepting the older keys.',
      stop: 'Tickets that people printed or saved stop working',
      stopNote:
        'Every gate with a network refuses them at once. Send buyers their tickets again, or let them open the link in their email: it shows the new ones.',
      offline: 'Gates without a network do not know yet',
      offlineNote:
        'Until they have a network again they refuse tickets with the new signature. Rotate while all gates have one, or before the doors open.',
      offlineStopNote:
        'Until they have a network again they let the older tickets in, and refuse those with the new signature.',
      retire: 'Older tickets must stop working',
      retireHint: 'For a key that strangers may know, for example after a backup was lost.',
      rotateButton: 'Rotate the key',
      retireButton: 'Rotate and stop older tickets',
      rotated: 'Tickets are signed with a new key.',
    },
    stripe: {
      title: 'Payments',
      about: 'Whose account at Stripe takes the money of your buyers.',
      byAccount: (account: string) => `${account} takes the money.`,
      byPlatform: 'The platform’s own account takes the money.',
      waits: (account: string) =>
        `${account} waits for the people who run this installation: they make sure whose it is. Ask them to confirm it. Until then nothing changes.`,
      simulated:
        'Payments are simulated on this server: no money moves. The account counts as soon as Stripe is configured.',
      noGateway:
        'This server takes no payments: Stripe is not configured. Until then, sell at the box office or through a checkout of your own. The account counts as soon as Stripe is configured.',
      account: 'Your account at Stripe',
      accountHint:
        'It begins with acct_ and must be connected with the platform (Stripe Connect). Empty: the platform’s own account.',
      malformed: 'This is no account of Stripe. It begins with acct_, then letters and digits.',
      change: 'Change the account',
      toAccount: (account: string) => `Let ${account} take the money?`,
      waitsNote:
        'It waits until the people who run this installation have confirmed whose it is. Until then nothing changes.',
      stays: (account: string) => `Let ${account} go on taking the money?`,
      staysNote: 'No other account waits then.',
      wanted: 'Saved. It waits to be confirmed.',
      unchanged: 'Saved. Nothing waits any more.',

      toPlatform: 'Let the platform’s own account take the money?',
      changeNote:
        'Payments that buyers begin from now on go to this account. Payments that were made stay with the account that took them, and so do their refunds and disputes.',
      notConnected: 'Stripe refuses payments for an account that is not connected: buyers could not pay.',
      changed: 'Saved. It counts for the next payment.',
    },
    seatUse: {
      title: 'Use of the seats',
      note: 'A free seat with none free beside it is hard to sell.',
      free: 'Free seats',
      ofSeats: (seats: number) => `of ${n(seats)}`,
      alone: 'Free and alone',
      share: (percent: string) => `${percent} % of all seats`,
      wheelchair: 'Wheelchair places free',
      taken: (count: number) => `${n(count)} taken`,
      companions: 'Companion seats kept',
      companionsRest: (free: number, taken: number) => `${n(free)} free for all · ${n(taken)} taken`,
    },
  }
}

export type KeysWords = ReturnType<typeof keysEn>
