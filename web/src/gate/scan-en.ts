import type { ScanCode } from '@voelgoed/core/entry/scan'
import type { CameraTrouble } from './camera.ts'
import type { ClockTrouble } from './device-clock.ts'
import type { NoDecision } from './verdict.ts'

const many = (count: number, one: string, more: string) => (count === 1 ? one : more)

export const scanEn = {
  title: 'Scan tickets',
  noStorage:
    'This browser cannot keep the list of tickets: the window is private, or the storage is full. You can scan as long as there is a network. To scan without one, open this page in a normal window or free some space.',
  signIn: {
    about: 'For staff at the gates. Sign in with your account of the organizer.',
    again: 'Your session has ended. Sign in again: nothing is lost, and scanning goes on meanwhile.',
    organization: 'Organizer',
    organizationHint: 'The short name, as in the address of the storefront',
    notStaff: 'This account may not scan tickets. Ask the organizer for one that may.',
    unknownOrganization: 'There is no organizer of this name. Check the spelling.',
  },
  setup: {
    title: 'Your gate',
    event: 'Event',
    choose: 'Choose an event',
    noEvents: 'There is no event to scan for at the moment.',
    gate: 'Name of the gate',
    gateHint: 'As people call it, such as “North”. It is shown with each entry.',
    direction: 'Direction',
    in: 'In',
    out: 'Out',
    start: 'Start scanning',
    goOn: (gate: string) => (gate === '' ? 'Back to scanning' : `Back to scanning at ${gate}`),
    signOut: 'Sign out of this device?',
    signOutAbout:
      'The list of tickets goes from this device. To scan again you need a network and your password.',
    signedIn: (email: string) => `Signed in as ${email}`,
    stillWaiting: (count: number) =>
      many(
        count,
        'One scan still waits for the network. It stays on this device until you sign in again.',
        `${count} scans still wait for the network. They stay on this device until you sign in again.`,
      ),
  },
  ready: {
    aim: 'Hold the code in the frame',
    orScanner: 'A hardware scanner works at any time.',
    noGate: 'Gate',
    online: 'Online',
    connecting: 'Connecting …',
    offline: 'No network',
    signedOut: 'Signed out',
    back: 'Change the gate',
    torch: 'Light',
    type: 'Type a code',
    typed: 'Code of the ticket',
    typedHint: 'It begins with VG1. and stands below the QR code.',
    check: 'Check',
    notLetIn: 'Not let in',
    sound: 'Sound',
    touchForSound: 'Touch the screen once, then you hear each answer.',
    wayIn: 'Way in',
    wayOut: 'Way out',
    decidingMore: (inLine: number) =>
      inLine === 0 ? 'One moment …' : `One moment … ${inLine} more to come.`,
    inLine: (count: number) =>
      many(
        count,
        'One more ticket was scanned. It is next.',
        `${count} more tickets were scanned. They are next.`,
      ),
    missed: (count: number) =>
      many(
        count,
        'One code was not read: too many came at once. Scan that ticket again.',
        `${count} codes were not read: too many came at once. Scan those tickets again.`,
      ),
    suspended:
      'The platform has suspended the organizer: nothing is sold. Tickets stay valid. Let their holders in as always.',
    missedSeen: 'They are scanned again',
    clock: {
      off: 'The clock of this device is wrong. Entries have the right time all the same. Set the clock when you can.',
      lost: 'The clock of this device was set back, so it does not know what time it is. Set the clock, or bring the device to a network.',
    } satisfies Record<ClockTrouble, string>,
    next: 'Next',
    admitted: (count: number) => `${count} let in here`,
    list: (tickets: string, time: string) => `${tickets} tickets on this device, as of ${time}`,
    listLoading: (tickets: string) => `Getting the list of tickets: ${tickets} …`,
    noList: 'No list of tickets on this device yet. It cannot work without a network.',
    offlineTitle: 'No network. Scanning goes on.',
    waiting: (count: number) =>
      many(count, 'One scan waits for the network.', `${count} scans wait for the network.`),
    notTaken: (count: number) =>
      many(
        count,
        'The server does not take one scan. It stays on this device, which tries again. Tell the organizer.',
        `The server does not take ${count} scans. They stay on this device, which tries again. Tell the organizer.`,
      ),
    wrong: (count: number) => many(count, 'One entry to look at', `${count} entries to look at`),
  },
  camera: {
    start: 'Start the camera',
    starting: 'Starting the camera …',
    trouble: {
      not_allowed: 'The camera is not allowed. Allow it in the settings of the browser for this page.',
      none: 'This device has no camera. A hardware scanner and typing still work.',
      not_secure: 'The camera needs a secure address that begins with https.',
      failed: 'The camera stopped, or could not be started. Another app may be using it.',
    } satisfies Record<CameraTrouble, string>,
    again: 'Try again',
  },
  verdict: {
    admitted: 'Come in',
    left: 'Goodbye',
    look: 'Look first',
    undecided: 'Cannot decide',
    refused: {
      unknown_ticket: 'Not a ticket',
      wrong_event: 'Other event',
      void: 'Not valid',
      replaced: 'Old ticket',
      too_early: 'Too early',
      not_valid_today: 'Not today',
      already_entered: 'Already in',
      not_inside: 'Not inside',
      membership_not_active: 'Not a member',
      guest_not_named: 'No guest named',
      zone_full: 'Full',
    } satisfies Record<ScanCode, string>,
    explain: {
      unknown_ticket: 'This code is not a ticket of this organizer.',
      wrong_event: 'The ticket is for another event.',
      void: 'The ticket was given back or moved to another seat, or the event was cancelled. Ask for a newer ticket.',
      replaced: 'A newer ticket was issued in place of this one. Ask for that one.',
      too_early: 'The event has not begun.',
      not_valid_today: 'The ticket is not for today.',
      already_entered: 'The ticket was used already.',
      not_inside:
        'This is the way out, and no entry of this ticket is open. The exit is noted: it counts if another gate tells of the entry later.',
      membership_not_active: 'The person is not a member at the moment.',
      guest_not_named: 'The buyer has to name the guest of this place.',
      zone_full: 'As many people are inside as the area holds.',
    } satisfies Record<ScanCode, string>,
    why: {
      no_list: 'There is no network, and this device has no list of this event.',
      no_ed25519: 'There is no network, and this browser is too old to check tickets by itself.',
      no_room: 'Too many scans wait on this device. Bring it to a network.',
      device_failed:
        'The storage of this device is full or does not answer. Scan again. If that does not help, close this page and open it again, or use another device.',
      forbidden: 'Your account may not scan tickets.',
    } satisfies Record<NoDecision, string>,
    lookAt: {
      member: 'Members’ area: ask for the membership card. This device cannot check it without a network.',
      not_listed: 'The ticket is genuine but not on this device’s list. The seat is on the ticket.',
    },
    offline: 'Decided without the network',
    seat: (row: string, seat: string) => `Row ${row}, seat ${seat}`,
    place: (place: string) => `Place ${place}`,
    wheelchair: 'Wheelchair place',
    companion_reserved: 'Seat of a companion',
    entered: (time: string, gate: string | null) => (gate === null ? time : `${time}, ${gate}`),
    validOn: (days: string) => `Valid on ${days}`,
    times: (count: number) => `Entry ${count} of today`,
    inside: (inside: string, capacity: string) => `${inside} of ${capacity} inside`,
  },
  wrong: {
    title: 'Entries to look at',
    about: 'These people came in without a network. The server says that they should not have.',
    none: 'Nothing to look at.',
    clear: 'Seen, clear the list',
    noSeat: 'Ticket without a known seat',
  },
}

export type ScanWords = typeof scanEn
