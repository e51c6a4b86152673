// Preloaded into a process that must not outlive the one that spawned it: the kernel closes the
// channel when that one dies, however it dies.
const signal = process.env.A2A_LEDGER_SIGNAL_WHEN_ORPHANED ?? 'SIGKILL'
delete process.env.A2A_LEDGER_SIGNAL_WHEN_ORPHANED
delete process.env.NODE_CHANNEL_FD

process.on('disconnect', () => process.kill(process.pid, signal))
process.channel?.unref()
