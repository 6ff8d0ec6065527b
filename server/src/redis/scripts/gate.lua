-- Purpose: before a batch asks for the event's lock: says which of the seats that it asks for another node is
--   writing right now, or are held by the word of the copy; marks the others as being written by this batch.
--   Before that it removes the marks of an earlier batch, if they are still that batch's. It grants nothing.
-- KEYS: 1 seq, 2 bitmap, 3 writing: HASH of marks by ordinal, `<node>/<batch> <buyer> <until in ms>`
-- ARGV: 1 node, 2 batch, 3 life of a mark in ms, 4 epoch, 5 seq that a copy has at least whose word counts,
--   6 the earlier batch, 7 how many marks it has; then their ordinals; then how many commands there are;
--   then of each command: buyer, how many seats, their ordinals.
-- Returns: for each command a list: empty, or the seats that speak against it, each as ordinal and reason
--   (writing, held) in turn. A command with such a seat is not marked.
local node, batch, life, epoch, seq = ARGV[1], ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[5])
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)

-- Something else may be under our key.
local function marks_of(first, count)
  local found = redis.pcall('HMGET', KEYS[3], unpack(ARGV, first, first + count - 1))
  if not found.err then return found end
  redis.call('UNLINK', KEYS[3])
  return {}
end

local earlier, word = tonumber(ARGV[7]), 8
if earlier > 0 then
  local ours = node .. '/' .. ARGV[6] .. ' '
  local over = {}
  for index, mark in ipairs(marks_of(word, earlier)) do
    if mark and string.sub(mark, 1, #ours) == ours then over[#over + 1] = ARGV[word + index - 1] end
  end
  if #over > 0 then redis.call('HDEL', KEYS[3], unpack(over)) end
end
word = word + earlier

local commands = tonumber(ARGV[word])
word = word + 1
if commands == 0 then return {} end
local known = redis.pcall('HMGET', KEYS[1], 'epoch', 'seq', 'writer')
local counts = not known.err and not known[3] and tonumber(known[1] or '') == epoch
  and (tonumber(known[2] or '') or -1) >= seq

local answers, marks, marked = {}, {}, {}
for command = 1, commands do
  local buyer, seats = ARGV[word], tonumber(ARGV[word + 1])
  local first = word + 2
  word = first + seats
  local against = {}
  local found = marks_of(first, seats)
  local bits = {}
  if counts then
    local reads = {}
    for index = 0, seats - 1 do
      reads[#reads + 1] = 'GET'
      reads[#reads + 1] = 'u2'
      reads[#reads + 1] = '#' .. ARGV[first + index]
    end
    bits = redis.pcall('BITFIELD_RO', KEYS[2], unpack(reads))
  end
  for index = 1, seats do
    local ordinal = ARGV[first + index - 1]
    local writer, whose, till = string.match(found[index] or '', '^(%S+)/%d+ (%S+) (%d+)$')
    -- The same buyer may ask twice: what they get is for Postgres to say.
    if writer and writer ~= node and whose ~= buyer and tonumber(till) > now then
      against[#against + 1] = ordinal
      against[#against + 1] = 'writing'
    elseif bits[index] == 1 then
      against[#against + 1] = ordinal
      against[#against + 1] = 'held'
    end
  end
  if #against == 0 then
    local mark = string.format('%s/%s %s %.0f', node, batch, buyer, now + life)
    for index = 1, seats do
      local ordinal = ARGV[first + index - 1]
      local writer, _, till = string.match(found[index] or '', '^(%S+)/%d+ (%S+) (%d+)$')
      local is_theirs = writer and writer ~= node and tonumber(till) > now
      if not marked[ordinal] and not is_theirs then
        marks[#marks + 1] = ordinal
        marks[#marks + 1] = mark
        marked[ordinal] = true
      end
    end
  end
  answers[command] = against
end
if #marks > 0 then
  redis.call('HSET', KEYS[3], unpack(marks))
  redis.call('PEXPIRE', KEYS[3], life)
end
return answers
