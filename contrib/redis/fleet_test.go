package redis

const replicaMode = "MCPCLIENT_REDIS_REPLICA"

func playReplica() {}
