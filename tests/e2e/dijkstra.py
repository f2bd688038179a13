"""What right distances are, apart from the daemon's code."""
import heapq


def dijkstra(arcs, source):
    """{vertex: distance} from source, in the lengths' numbers; arcs: {u: {v: length}}"""
    final, heap = {}, [(0, source)]
    while heap:
        distance, vertex = heapq.heappop(heap)
        if vertex in final:
            continue
        final[vertex] = distance
        for end, length in arcs.get(vertex, {}).items():
            if end not in final:
                heapq.heappush(heap, (distance + length, end))
    return final
